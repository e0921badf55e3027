// No browser types, so that everything can import this.

/** Why a picked file cannot be used. */
export type FileProblemKind = 'not_a_video' | 'too_large' | 'too_long' | 'empty' | 'unreadable';

/** Why a take will never be uploaded. `stopped`: the page itself abandoned it. */
export type UploadProblem =
  | 'link_gone'
  | 'file_gone'
  | 'too_large'
  | 'unsupported'
  | 'daily_limit'
  | 'already_sent'
  | 'closed'
  | 'stopped'
  | 'refused';
