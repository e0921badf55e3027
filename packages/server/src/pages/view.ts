/** What a page shows. Times are milliseconds since 1970. */
export interface PageView {
  readonly introId: string;
  /** Absolute address of the page; everything else of it lies below. */
  readonly url: string;
  readonly title: string | null;
  readonly madeAtMs: number;
  readonly recipient: { readonly firstName: string };
  readonly member: {
    readonly firstName: string;
    readonly lastName: string;
    readonly title: string | null;
    readonly phone: string | null;
    /** Key of an object, as the logo. */
    readonly photo: string | null;
    /** And their organization wants its card where their videos were. */
    readonly hasLeft: boolean;
  };
  readonly organization: Brand & {
    readonly timezone: string;
    readonly license: string | null;
    readonly logo: string | null;
  };
  readonly appointment: { readonly startsAtMs: number; readonly timezone: string } | null;
  readonly action: { readonly label: string; readonly url: string } | null;
  readonly video: {
    /** Changes with each recording, so that nothing on the way mixes two. */
    readonly name: string;
    /** Where its objects lie, with the slash. */
    readonly folder: string;
    readonly width: number;
    readonly height: number;
    readonly durationMs: number;
    readonly hasCaptions: boolean;
    readonly hasPreview: boolean;
  };
}

export interface Brand {
  readonly name: string;
  readonly accent: string | null;
  readonly officePhone: string | null;
}

/** A link that no longer opens anything, and for whom. */
export interface ClosedView {
  readonly audience: 'recipient' | 'member';
  readonly reason: 'cancelled' | 'expired';
  readonly organization: Brand;
}

/** HTML with the policy that lets exactly its own style and script run. */
export interface Document {
  readonly html: string;
  readonly policy: string;
}
