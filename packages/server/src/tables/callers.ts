import type { KeyScope } from '@foreword/contract';
import type { Generated } from 'kysely';
import type { Owned } from './team.ts';

export interface ApiKeyRow extends Owned {
  name: string;
  hash: Buffer;
  ending: string;
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
  expires_at: Date | null;
  /** Addresses and networks. Null: any. */
  allowed_ips: string[] | null;
  /** When the owners were notified that the key is about to expire. */
  expiry_notified_at: Date | null;
  scope: KeyScope;
  /** Whether the key may get the recording links of members. */
  recording_links: boolean;
  /** Whether agents may change something with the key, through /mcp. */
  agent_writes: boolean;
}

export interface RateBucketTable {
  organization_id: string;
  key_id: string;
  kind: 'read' | 'write';
  tokens: number;
  refilled_at: Date;
}

export interface RequestLogRow extends Owned {
  key_id: string;
  method: string;
  path: string;
  query: string | null;
  status: number;
  error_code: string | null;
  duration_ms: number;
  body: string | null;
  body_bytes: number;
  answer: string | null;
  object_id: string | null;
  created_at: Date;
}

/** The trace that an event or intro belongs to. */
export interface TraceTable {
  organization_id: string;
  environment: 'test';
  object_id: string;
  trace_id: string;
  span_id: string;
  created_at: Generated<Date>;
}

export interface RequestLogGapTable {
  organization_id: string;
  environment: 'test';
  hour: Date;
  requests: number;
}

export interface SignInLinkTable extends Owned {
  member_id: string;
  hash: Buffer;
  browser_hash: Buffer | null;
  requested_from: Buffer | null;
  /** Whether the member had signed in before in the browser that requested it. */
  from_known_browser: boolean;
  next_path: string;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

export interface ConsoleSessionTable extends Owned {
  member_id: string;
  hash: Buffer;
  previous_hash: Buffer | null;
  previous_until: Date | null;
  device: string;
  created_at: Date;
  rotated_at: Date;
  seen_at: Date;
  ended_at: Date | null;
  second_factor_at: Date | null;
  challenge: Buffer | null;
  challenge_for: 'add' | 'use' | null;
  challenge_expires_at: Date | null;
}

export interface PasskeyTable extends Owned {
  member_id: string;
  name: string;
  credential_id: Buffer;
  public_key: Buffer;
  /** A bigint, which the driver reads as text. */
  counter: string;
  transports: string[];
  created_at: Date;
  last_used_at: Date | null;
}

export interface ServerKeyTable {
  only_one: Generated<boolean>;
  fingerprint: Buffer;
  /** Announced by a rotation. */
  next_fingerprint: Buffer | null;
  next_refused_by: string | null;
  reencrypted_at: Date | null;
}

export interface PreviousServerKeyTable {
  fingerprint: Buffer;
  /** Encrypted with the current key. */
  sealed_key: Buffer;
  used_until: Date;
}
