import type { DeliveryStatus, Language } from './plain/index.ts';

/** The state the server sends: embedded in the page, and later from `GET /r/:token/state`. */
export interface RecorderState {
  intro: {
    id: string;
    status: 'requested' | 'ready' | 'sent';
    title: string | null;
    /** The name of the touchpoint. */
    touchpoint: string | null;
    recipient: { first_name: string; last_name: string | null; language: Language };
    appointment: { starts_at: string; timezone: string } | null;
    script: string | null;
    script_language: Language;
    expires_at: string | null;
    delivery: 'integration' | 'service';
    /** The service's text to the recipient. Null before the video is ready, or if the integration delivers. */
    text: null | {
      /** `by_hand`: sent, but by a person who marked it as sent. */
      status: 'queued' | 'scheduled' | DeliveryStatus | 'by_hand';
      /** Null unless it is scheduled. */
      due_at: string | null;
      /** Why it is scheduled for later: a code of `DELIVERY_DELAYS`. */
      reason: string | null;
      /** The recipient's. */
      timezone: string;
      /** Why it was not sent or not delivered. */
      problem: null | { code: string; message: string };
    };
    /** The member declined. */
    declined: boolean;
    /** A person has opened the recipient's page. */
    opened: boolean;
    recipient_url: string | null;
  };
  /** `language` is that of the recorder's screens: the member's, or the organization's. */
  member: { first_name: string; words_per_minute: number | null; language: Language };
  organization: { name: string; logo_url: string | null; timezone: string };
  /** The newest take on the server. */
  recording: null | {
    id: string;
    status: 'uploading' | 'checking' | 'processing' | 'ready' | 'refused';
    /** 0 to 100. */
    progress: number;
    /** If refused: the reason, and what to do. */
    message: string | null;
    /** If refused: the service was at fault, so the same video can be tried again. */
    retryable: boolean;
  };
  /** The consent text that recording accepts. */
  consent: {
    version: string;
    language: Language;
    short: string;
    paragraphs: readonly string[];
    /** Path of the page where the member can withdraw it. */
    settings: string;
  };
  limits: { soft_s: number; hard_s: number; max_bytes: number };
}

/** Where the recorder leads after an intro: `GET /r/:token/next`, which is null for a link to this intro only. */
export interface RecorderNext {
  /** The most urgent intro that the same member has to record. Null: there is none. */
  next: null | {
    /** The base path of its recorder. */
    api: string;
    state: RecorderState;
  };
  /** How many intros are left, with `next`. */
  left: number;
  /** True: there are more than `left`. */
  has_more: boolean;
  /** The path of the member's home in the console. Null: not signed in on this device. */
  home: string | null;
}

/** A member whom an intro can be handed over to. */
export interface Colleague {
  id: string;
  name: string;
}

/**
 * Why a link can no longer be used to record: the intro is closed, only this short-lived link has expired, or its member
 * withdrew the consent to the use of their likeness.
 */
export type ClosedReason = 'cancelled' | 'expired' | 'link_expired' | 'likeness_withdrawn';
