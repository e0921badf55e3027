// Edit these tables: the stages of your deal pipelines on the left (their internal IDs, not their labels), touchpoints in Foreword
// on the right. A stage that is not listed is ignored.

export interface StageTarget {
  readonly touchpoint: string;
  /** Sends the day and time in the deal's appointment property, and waits until it is set. */
  readonly appointment?: boolean;
}

export const DEAL_STAGES: Record<string, StageTarget> = {
  appointmentscheduled: { touchpoint: 'new_appointment', appointment: true },
  presentationscheduled: { touchpoint: 'estimate_follow_up' },
  contractsent: { touchpoint: 'decision_follow_up' },
  closedwon: { touchpoint: 'project_kickoff' },
};

/** Stages that cancel the deal's intros that were not sent yet. */
export const CANCELLED_STAGES: string[] = ['closedlost'];
