/** Backs up and restores the embedded database with its objects. */

export { createBackup } from './create.ts';
export { restoreBackup } from './restore.ts';
export { verifyBackup } from './verify.ts';
