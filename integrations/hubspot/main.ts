/** Connects HubSpot: stages and appointments of deals become touchpoint events. */

import { CANCELLED_STAGES, DEAL_STAGES } from './mapping.ts';

// The mapping is imported first, so that its tables are at the top of the built file.

import { runRecipe } from '../bridge/index.ts';
import { createHubSpot } from './hubspot.ts';

runRecipe({
  name: 'hubspot',
  create: (variables, { timeZone }) =>
    createHubSpot(
      { stages: DEAL_STAGES, cancelledStages: CANCELLED_STAGES },
      {
        apiUrl: variables.url('HUBSPOT_API_URL', 'https://api.hubapi.com'),
        accessToken: variables.secret('HUBSPOT_ACCESS_TOKEN'),
        clientSecret: variables.secret('HUBSPOT_CLIENT_SECRET'),
        appointmentProperty: variables.text('HUBSPOT_APPOINTMENT_PROPERTY', 'foreword_appointment'),
        linkProperty: variables.text('HUBSPOT_LINK_PROPERTY', 'foreword_video'),
        timeZone,
      },
    ),
});
