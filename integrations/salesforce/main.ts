/** Connects Salesforce: stages of opportunities and calendar events become touchpoint events. */

import * as mapping from './mapping.ts';

// The mapping is imported first, so that its tables are at the top of the built file.

import { runRecipe, SettingsError } from '../bridge/index.ts';
import { createSalesforce } from './salesforce.ts';

runRecipe({
  name: 'salesforce',
  create(variables, { timeZone }) {
    const organizationId = variables.text('SALESFORCE_ORGANIZATION_ID');
    if (!/^00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?$/.test(organizationId))
      throw new SettingsError('SALESFORCE_ORGANIZATION_ID must start with 00D and have 15 or 18 characters');
    return createSalesforce(
      {
        stages: mapping.OPPORTUNITY_STAGES,
        cancelledStages: mapping.CANCELLED_STAGES,
        subjects: mapping.EVENT_SUBJECTS,
        cancelledSubjects: mapping.CANCELLED_SUBJECTS,
      },
      {
        url: variables.url('SALESFORCE_URL'),
        clientId: variables.text('SALESFORCE_CLIENT_ID'),
        clientSecret: variables.secret('SALESFORCE_CLIENT_SECRET'),
        organizationId,
        pathSecret: variables.secret('SALESFORCE_PATH_SECRET'),
        linkField: variables.text('SALESFORCE_LINK_FIELD', 'Foreword_Video__c'),
        timeZone,
      },
    );
  },
});
