/** One version of a touchpoint's script, with the results of its intros. */
export interface ScriptVersion {
  /** Counts the versions of the script, from 1. */
  readonly number: number;
  /** Null: when the touchpoint was created. */
  readonly from: string | null;
  /** Null: the current version. */
  readonly until: string | null;
  readonly script: string;
  /** The script before. Null for the first version. */
  readonly previous: string | null;
  /** Null for the first version, and for a change with an operator command. */
  readonly by: { readonly id: string; readonly name: string } | null;
  readonly requested: number;
  readonly recorded: number;
  readonly sent: number;
  readonly opened: number;
  /** To the end. */
  readonly watched: number;
  /** Tapped something on the page. */
  readonly clicked: number;
  readonly replied: number;
  readonly median_ms: number | null;
}

export interface ScriptResults {
  /** Newest first. */
  readonly versions: ScriptVersion[];
  /** Whether there are older versions. */
  readonly has_more: boolean;
  /** Counts intros requested since then. */
  readonly since: string;
}
