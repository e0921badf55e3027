// JobNimbus statuses and task types, and the touchpoints in Foreword that they stand for. Edit these tables, and nothing else.
// A status or type that is not in them sends nothing. The names are those of your workflows and of Settings, Task Types.

export const TOUCHPOINT_BY_STATUS: Readonly<Record<string, string>> = {
  'Estimate Sent': 'estimate_follow_up',
  'Signed Contract': 'project_kickoff',
  'Job Completed': 'project_complete',
};

export const TOUCHPOINT_BY_TASK_TYPE: Readonly<Record<string, string>> = {
  'Initial Appointment': 'new_appointment',
  'Adjuster Appointment': 'adjuster_meeting',
};
