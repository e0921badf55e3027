// Edit these tables: the names in quotes on the left are yours (Salesforce), the slugs on the right are your touchpoints in
// Foreword. Upper and lower case do not matter. A name that is not listed is ignored.

/** The stage of an opportunity. */
export const OPPORTUNITY_STAGES: Record<string, string> = {
  'Proposal/Price Quote': 'estimate_follow_up',
  'Negotiation/Review': 'decision_follow_up',
  'Closed Won': 'project_kickoff',
};

/** Stages that cancel the intros of the opportunity and of its events that were not sent yet. */
export const CANCELLED_STAGES: string[] = ['Closed Lost'];

/** The subject of a calendar event. These touchpoints show its day and time. */
export const EVENT_SUBJECTS: Record<string, string> = {
  Appointment: 'new_appointment',
  Inspection: 'new_inspection',
  'Adjuster Meeting': 'adjuster_meeting',
};

/** Subjects that cancel the event's intros that were not sent yet. */
export const CANCELLED_SUBJECTS: string[] = ['Canceled', 'Cancelled'];
