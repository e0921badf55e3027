// ServiceTitan job types and job statuses, and the touchpoints in Foreword that they stand for. Edit these tables, and nothing
// else. A type or status that is not in them sends nothing. The names of job types are those of Settings, Job Types.

/** Appointments, by the type of their job. `*` is for all other types; delete the line to send nothing for them. */
export const TOUCHPOINT_BY_JOB_TYPE: Readonly<Record<string, string>> = {
  'Roof Inspection': 'new_inspection',
  '*': 'new_appointment',
};

/** Jobs, by their status: Scheduled, InProgress, Hold, Completed, Canceled. */
export const TOUCHPOINT_BY_JOB_STATUS: Readonly<Record<string, string>> = {
  Completed: 'project_complete',
};
