import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import { defineConfig, passthroughImageService } from 'astro/config';
import { finishSite } from './content/finish.ts';
import { BASE } from './content/links.ts';
import { readSections } from './content/pages.ts';

const sections = readSections();
// A section of one page is a link, without a group around it.
const sidebar = sections.flatMap(({ label, pages: all, link }) => {
  const pages = all.filter(({ isListed }) => isListed);
  if (link !== null) return [{ label, link }];
  const [only, ...others] = pages;
  if (only === undefined) return [];
  if (others.length === 0) return [{ label, slug: only.id }];
  return [{ label, items: pages.map(({ title, id }) => ({ label: title, slug: id })) }];
});

/** The field of Pagefind has its name only in a tooltip, which screen readers may leave out. */
const labelSearchField = {
  name: 'label-search-field',
  transform(code: string, id: string): string | undefined {
    if (!id.includes('@pagefind/default-ui/npm_dist/mjs/ui-core.mjs')) return undefined;
    const labeled = code.replaceAll('attr(input, "title", ', 'attr(input, "aria-label", ');
    if (labeled === code) throw new Error('Pagefind no longer has the attribute that names its search field');
    return labeled;
  },
};

export default defineConfig({
  base: BASE,
  trailingSlash: 'never',
  // The repository's Markdown has straight quotes on purpose: they are often code.
  markdown: { processor: satteri({ features: { smartPunctuation: false } }) },
  build: { inlineStylesheets: 'never' },
  vite: { plugins: [labelSearchField] },
  // Nothing here needs resized pictures, and so no native program.
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: 'Foreword',
      logo: { src: './src/mark.svg', alt: '' },
      favicon: '/icon.svg',
      sidebar,
      customCss: ['../../packages/web/kit/typeface.css', './src/style.css'],
      components: { Head: './src/components/Head.astro', PageTitle: './src/components/PageTitle.astro' },
      markdown: { processedDirs: ['../../docs', '../../packages/sdk'] },
      expressiveCode: {
        themes: ['github-dark', 'github-light'],
        useStarlightUiThemeColors: true,
        styleOverrides: { borderRadius: '10px' },
      },
      pagefind: true,
      disable404Route: true,
    }),
    finishSite(sections),
  ],
});
