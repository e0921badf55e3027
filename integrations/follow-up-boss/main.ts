/** Connects Follow Up Boss: stages of people and appointments become touchpoint events. */

import * as mapping from './mapping.ts';

// The mapping is imported first, so that its tables are at the top of the built file.

import { runRecipe } from '../bridge/index.ts';
import { createFollowUpBoss } from './follow-up-boss.ts';

runRecipe({
  name: 'follow-up-boss',
  create: (variables, { timeZone }) =>
    createFollowUpBoss(
      {
        stages: mapping.STAGES,
        cancelledStages: mapping.CANCELLED_STAGES,
        appointmentTypes: mapping.APPOINTMENT_TYPES,
        cancelledOutcomes: mapping.CANCELLED_OUTCOMES,
      },
      {
        apiUrl: variables.url('FUB_API_URL', 'https://api.followupboss.com/v1'),
        apiKey: variables.text('FUB_API_KEY'),
        system: variables.text('FUB_SYSTEM'),
        systemKey: variables.secret('FUB_SYSTEM_KEY'),
        linkField: variables.text('FUB_LINK_FIELD', 'customForewordVideo'),
        timeZone,
      },
    ),
});
