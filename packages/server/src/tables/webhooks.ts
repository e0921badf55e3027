import type { Generated } from 'kysely';
import type { Owned } from './team.ts';

export interface WebhookEndpointRow extends Owned {
  url: string;
  description: string | null;
  events: string[];
  active: boolean;
  disabled_reason: 'gone' | 'failing' | null;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
  failing_since: Date | null;
  created_at: Date;
}

export interface WebhookMessageRow extends Owned {
  type: string;
  sealed_payload: Buffer;
  object_id: string | null;
  created_at: Date;
  is_test: boolean;
}

export interface WebhookDeliveryTable {
  organization_id: string;
  environment: 'test';
  message_id: string;
  endpoint_id: string;
  status: 'pending' | 'delivered' | 'failed';
  claim: Generated<number>;
  failures: Generated<number>;
  due_at: Date | null;
  created_at: Date;
}

export interface WebhookAttemptRow extends Owned {
  endpoint_id: string;
  message_id: string;
  type: string;
  succeeded: boolean;
  status: number | null;
  error: string | null;
  duration_ms: number;
  sealed_answer: Buffer | null;
  next_attempt_at: Date | null;
  created_at: Date;
}
