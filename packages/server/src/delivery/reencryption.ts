import type { SealedColumn } from '../platform/reencryption.ts';
import type { Seal } from '../platform/seal.ts';
import { sealContext } from './carriers/index.ts';

/** The encrypted columns of this module. */
export const deliveryColumns = (seal: Seal): SealedColumn[] => [
  {
    table: 'delivery_settings',
    column: 'twilio_account',
    key: ['organization_id', 'environment'],
    seal,
    placeOf: ({ organization_id = '' }) => sealContext(organization_id),
  },
];
