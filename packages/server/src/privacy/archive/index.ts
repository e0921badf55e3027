/** Exports and imports one organization, and exports what is stored about one recipient. */

export { exportToFile, exportToStream } from './export.ts';
export { TransferError } from './format.ts';
export { importArchive } from './import.ts';
export { measure as measureExport } from './store.ts';
