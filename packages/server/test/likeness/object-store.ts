import fs from 'node:fs/promises';
import path from 'node:path';
import { OBJECTS_FOLDER } from '../harness/index.ts';

/** The keys of all stored objects of an organization, sorted. */
export async function listObjects(organizationId: string, root = OBJECTS_FOLDER): Promise<string[]> {
  const folder = path.join(root, organizationId);
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}
