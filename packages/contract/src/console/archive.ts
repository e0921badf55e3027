import { define, response } from './operation.ts';

/** How much an archive of the organization contains. */
export interface ExportEstimate {
  readonly intros: number;
  readonly videos: number;
  /** The size of the videos. Everything else is small. */
  readonly bytes: number;
  /** The archive of the organization is being downloaded. Another download would be refused. */
  readonly is_running: boolean;
}

export const ARCHIVE_OPERATIONS = define({
  measureExport: { route: 'GET /export', role: 'owner', success: response<ExportEstimate>() },
});
