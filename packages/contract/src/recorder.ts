/** The state the server sends: embedded in the page, and later from `GET /r/:token/state`. */
export interface RecorderState {
  intro: {
    status: 'requested' | 'ready' | 'sent';
    title: string | null;
    /** The name of the touchpoint. */
    touchpoint: string | null;
    recipient: { first_name: string; last_name: string | null };
    appointment: { starts_at: string; timezone: string } | null;
    script: string | null;
    expires_at: string | null;
    delivery: 'integration' | 'service';
    /** The service's text to the recipient. Null before the video is ready, once it is sent, or if the integration delivers. */
    text: null | {
      /** Null: it is sent at once, or not at all. */
      due_at: string | null;
      /** The recipient's. */
      timezone: string;
      /** Why it was not sent. */
      problem: null | { code: string; message: string };
    };
    recipient_url: string | null;
  };
  member: { first_name: string; words_per_minute: number | null };
  organization: { name: string; logo_url: string | null };
  /** The newest take on the server. */
  recording: null | {
    id: string;
    status: 'uploading' | 'checking' | 'processing' | 'ready' | 'refused';
    /** 0 to 100. */
    progress: number;
    /** If refused: the reason, and what to do. */
    message: string | null;
    /** If refused: the service was at fault, so the same video can be tried again. Nodes of the previous version omit it. */
    retryable?: boolean;
  };
  limits: { soft_s: number; hard_s: number; max_bytes: number };
}

/** Why a link can no longer be used to record: the intro is closed, or only this short-lived link has expired. */
export type ClosedReason = 'cancelled' | 'expired' | 'link_expired';
