// AccuLynx milestones, and the touchpoints in Foreword that they stand for. Edit this table, and nothing else.
// A milestone that is not in it sends nothing. AccuLynx has Lead, Prospect, Approved, Completed, Invoiced, Closed, Cancelled.

export const TOUCHPOINT_BY_MILESTONE: Readonly<Record<string, string>> = {
  Approved: 'approved_moving_forward',
  Completed: 'project_complete',
};

/** The touchpoint of a job's initial appointment. Empty: appointments send nothing. */
export const INITIAL_APPOINTMENT: string = 'new_inspection';
