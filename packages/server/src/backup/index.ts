export { createBackup } from './create.ts';
export { BackupError } from './error.ts';
export { restoreBackup } from './restore.ts';
export { verifyBackup } from './verify.ts';
