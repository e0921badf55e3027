// Edit these tables: the names in quotes on the left are yours (Follow Up Boss), the slugs on the right are your touchpoints in
// Foreword. Upper and lower case do not matter. A name that is not listed is ignored.

/** The stage of a person. */
export const STAGES: Record<string, string> = {
  'Active Client': 'buyer_introduction',
  Pending: 'under_contract',
  Closed: 'closing',
  'Past Client': 'thank_you',
};

/** Stages that cancel the person's intros that were not sent yet. */
export const CANCELLED_STAGES: string[] = ['Trash'];

/** The type of an appointment. These touchpoints show its day and time. */
export const APPOINTMENT_TYPES: Record<string, string> = {
  'Buyer Consultation': 'first_client_meeting',
  Showing: 'showing',
  'Listing Appointment': 'listing_appointment',
};

/** Outcomes of an appointment that does not take place. A deleted appointment counts as cancelled, too. */
export const CANCELLED_OUTCOMES: string[] = ['Cancelled', 'Canceled', 'Rescheduled', 'No Show'];
