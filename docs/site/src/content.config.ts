import { defineCollection } from 'astro:content';
import { docsSchema } from '@astrojs/starlight/schema';
import { loadPages } from '../content/loader.ts';

export const collections = {
  docs: defineCollection({ loader: { name: 'repository', load: loadPages }, schema: docsSchema() }),
};
