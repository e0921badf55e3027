import type { ClosedReason, Language, OrganizationBrand } from '@foreword/contract';

/** The content of a page. Times are milliseconds since 1970. */
export interface PageView {
  readonly introId: string;
  /** The recipient's. */
  readonly language: Language;
  /** Absolute address of the page; its files are below it. */
  readonly url: string;
  readonly title: string | null;
  readonly madeAtMs: number;
  readonly recipient: { readonly firstName: string };
  readonly member: {
    readonly firstName: string;
    readonly lastName: string;
    readonly title: string | null;
    readonly phone: string | null;
    /** Object key, as for the logo. */
    readonly photo: string | null;
  };
  /** The recipient's last reply. */
  readonly reply: { readonly label: string } | null;
  /** Why the page shows a card of the organization instead of the video. */
  readonly replacedFor: 'member_left' | 'taken_down' | 'likeness_withdrawn' | null;
  readonly organization: OrganizationView;
  readonly appointment: { readonly startsAtMs: number; readonly timezone: string } | null;
  readonly action: { readonly label: string; readonly url: string } | null;
  readonly video: {
    /** Unique per recording, so that no cache mixes two videos. */
    readonly name: string;
    /** Key prefix of its objects, with a trailing slash. */
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

export interface OrganizationView extends Brand, Omit<OrganizationBrand, 'office_phone'> {
  readonly logo: string | null;
}

export const toOrganizationView = ({
  office_phone: officePhone,
  ...others
}: OrganizationBrand & Pick<OrganizationView, 'logo'>): OrganizationView => ({ ...others, officePhone });

/** A link that no longer works. */
export type ClosedView = { readonly organization: Brand; readonly language: Language } & (
  | { readonly audience: 'recipient'; readonly reason: Exclude<ClosedReason, 'link_expired' | 'likeness_withdrawn'> }
  | { readonly audience: 'member'; readonly reason: ClosedReason }
);

/** HTML, with a content security policy that allows exactly its own styles and script. */
export interface Document {
  readonly html: string;
  readonly policy: string;
}
