import {
  type ConsoleBody,
  countWords,
  DEFAULT_LANGUAGE,
  fitsInTime,
  type Language,
  PACE,
  SCRIPT_FIT_SECONDS,
  SCRIPT_FIT_WORDS,
  SCRIPT_MAX_LENGTH,
  type SegmentPrice,
  TAKE_MAX_SECONDS,
  TITLE_MAX_LENGTH,
  type TouchpointFit,
  type TouchpointPreview,
  type TouchpointProblem,
  type TouchpointRendering,
} from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import { readAccount, writeRecipientText } from '../../delivery/index.ts';
import { findLongestRecipient, type IntroPeople, listNewestPeople } from '../../intros/index.ts';
import { countActive, findLongestName, listSlowest, type Pace } from '../../members/index.ts';
import { defaultTitle } from '../../pages/index.ts';
import {
  bareSampleValues,
  findProblem,
  findWarning,
  renderTemplate,
  sampleValues,
  speakingSeconds,
  type TemplateField,
  TemplateProblem,
  type TemplateValues,
} from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, requireOrganization } from '../operations.ts';
import { createPreviewPaths, type SamplePage } from '../page-preview.ts';

/** Enough to see that names differ, few enough to compare. */
const REAL_PEOPLE = 2;
/** How many of the newest intros are searched for the longest name. */
const NAMES_SCANNED = 1_000;
/** How many of the slowest members are checked. A member faster than 500 others fits anyway. */
const PACES_CHECKED = 500;
/** Counting stops here. */
const MAX_TEAM_COUNT = 10_000;
/** As long as a page's real token. */
const SAMPLE_TOKEN = 'x'.repeat(12);

type Draft = ConsoleBody<'POST /touchpoint-preview'> & Readonly<Record<'language' | 'script_language', Language>>;

/** The path of a page with the stored brand. */
type PathOf = (page: SamplePage) => string;

const fullName = (first: string, last: string | null): string => (last === null ? first : `${first} ${last}`);

function valuesOf(people: IntroPeople, organization: Row<'organizations'>): TemplateValues {
  const { context } = people;
  const appointment = context?.appointment ?? null;
  return {
    recipient: { first_name: people.recipient_first_name, last_name: people.recipient_last_name },
    member: { first_name: people.member_first_name, last_name: people.member_last_name },
    organization: { name: organization.name },
    appointment: appointment && { startsAt: new Date(appointment.starts_at), timezone: appointment.timezone },
    trade: context?.trade ?? null,
    lane: context?.lane ?? null,
  };
}

/** Null when the template cannot be rendered; `problems` says why. */
function render(text: string, values: TemplateValues, limit: number, language: Language): string | null {
  try {
    return renderTemplate(text, values, limit, language);
  } catch (problem) {
    if (problem instanceof TemplateProblem) return null;
    throw problem;
  }
}

function renderFor(
  people: TouchpointRendering['people'],
  values: TemplateValues,
  { draft, link, hasText, pathOf }: { draft: Draft; link: string; hasText: boolean; pathOf: PathOf },
): TouchpointRendering {
  const { language } = draft;
  const script = render(draft.script, values, SCRIPT_MAX_LENGTH, draft.script_language);
  const words = countWords(script ?? '');
  const { body } = writeRecipientText({
    template: draft.text_message,
    language,
    values,
    link,
    isFirst: true,
    invites: draft.invites_to_save === true,
  });
  const { member, recipient, appointment } = values;
  const title =
    draft.page_title === null
      ? defaultTitle(language, member.first_name)
      : render(draft.page_title, values, TITLE_MAX_LENGTH, language);
  const page = { language, title, label: draft.action_label ?? null, people: { recipient, member } };
  const at = appointment && { startsAtMs: appointment.startsAt.getTime(), timezone: appointment.timezone };
  return {
    people,
    recipient: fullName(recipient.first_name, recipient.last_name),
    member: fullName(member.first_name, member.last_name),
    page_title: title,
    page_path: title === null ? null : pathOf({ ...page, appointment: at }),
    script,
    words,
    seconds: speakingSeconds(words, PACE.usual),
    text: hasText ? { body } : null,
  };
}

function check(
  draft: Draft,
  find: (field: TemplateField, text: string, language: Language) => TouchpointProblem | null,
) {
  const fields = ['script', 'page_title', 'text_message'] as const;
  return fields.flatMap((field) => {
    const text = draft[field];
    const language = field === 'script' ? draft.script_language : draft.language;
    return (text === null ? null : find(field, text, language)) ?? [];
  });
}

interface PreviewContext {
  readonly organization: Row<'organizations'>;
  readonly real: readonly IntroPeople[];
  readonly link: string;
  readonly segmentPrice: SegmentPrice | null;
  readonly pathOf: PathOf;
}

function preview(draft: Draft, { organization, real, link, segmentPrice, pathOf }: PreviewContext): TouchpointPreview {
  const problems = check(draft, findProblem);
  const broken = new Set(problems.map(({ field }) => field));
  const options = { draft, link, hasText: !broken.has('text_message'), pathOf };
  return {
    problems,
    warnings: check(draft, findWarning).filter(({ field }) => !broken.has(field)),
    renderings: [
      renderFor('typical', sampleValues(organization), options),
      renderFor('minimal', bareSampleValues(organization), options),
      ...real.map((people) => renderFor('real', valuesOf(people, organization), options)),
    ],
    max_words: SCRIPT_FIT_WORDS,
    segment_price: segmentPrice,
  };
}

interface Team {
  readonly slowest: Pace[];
  readonly activeMembers: number;
  readonly longestMember: Pick<Pace, 'first_name' | 'last_name'> | null;
  readonly recipient: TemplateValues['recipient'];
}

const NOTHING_CHECKED = { words: 0, seconds: 0, checked: 0, over: [] } as const;

function fit(
  { script, language }: Pick<Draft, 'script' | 'language'>,
  organization: Row<'organizations'>,
  team: Team,
): TouchpointFit {
  const { slowest, activeMembers, longestMember, recipient } = team;
  const base = {
    limit_seconds: SCRIPT_FIT_SECONDS,
    end_seconds: TAKE_MAX_SECONDS,
    max_words: SCRIPT_FIT_WORDS,
    default_words_per_minute: PACE.usual,
    longest_recipient: fullName(recipient.first_name, recipient.last_name),
    longest_member: longestMember && fullName(longestMember.first_name, longestMember.last_name),
    active_members: activeMembers,
  };
  const problem = findProblem('script', script, language);
  if (problem !== null) return { ...base, ...NOTHING_CHECKED, over: [], problem };
  const sample = sampleValues(organization);
  const wordsFor = (member: TemplateValues['member']) =>
    countWords(render(script, { ...sample, recipient, member }, SCRIPT_MAX_LENGTH, language) ?? script);
  const results = slowest.map(({ id, first_name, last_name, words_per_minute: own }) => {
    const words = wordsFor({ first_name, last_name });
    const pace = own ?? PACE.usual;
    const name = fullName(first_name, last_name);
    return {
      id,
      name,
      words_per_minute: pace,
      is_own_pace: own !== null,
      words,
      seconds: speakingSeconds(words, pace),
    };
  });
  const words = wordsFor(longestMember ?? sample.member);
  return {
    ...base,
    words,
    seconds: speakingSeconds(words, PACE.usual),
    checked: results.length,
    over: results
      .filter(({ words, words_per_minute: pace }) => !fitsInTime(words, pace))
      .sort((a, b) => b.seconds - a.seconds),
    problem: null,
  };
}

/** Previews of a draft. Nothing is saved. */
export function createPreviewHandlers(deps: ConsoleDeps) {
  const { db, publicUrl, carriers } = deps;
  const { kysely } = db;
  const pathOf = createPreviewPaths(deps);
  return {
    async previewTouchpoint(user, { body }) {
      const { tenant } = user;
      const [organization, real, account] = await Promise.all([
        requireOrganization(kysely, tenant),
        listNewestPeople(kysely, tenant, REAL_PEOPLE),
        readAccount(kysely, tenant),
      ]);
      const link = `${publicUrl}/i/${SAMPLE_TOKEN}`;
      // An organization's own account has prices of its own.
      const segmentPrice = account === null ? carriers.segmentPrice : null;
      const { language = DEFAULT_LANGUAGE } = body;
      return preview(
        { language, script_language: language, ...body },
        { organization, real, link, segmentPrice, pathOf: (page) => pathOf(user, { brand: null, page }) },
      );
    },
    async checkScriptLength({ tenant }, { body }) {
      const slowest = { usualPace: PACE.usual, limit: PACES_CHECKED };
      const [organization, paces, activeMembers, longestMember, recipient] = await Promise.all([
        requireOrganization(kysely, tenant),
        listSlowest(kysely, tenant, slowest),
        countActive(db, tenant, MAX_TEAM_COUNT),
        findLongestName(kysely, tenant),
        findLongestRecipient(kysely, tenant, NAMES_SCANNED),
      ]);
      return fit({ language: DEFAULT_LANGUAGE, ...body }, organization, {
        slowest: paces,
        activeMembers,
        longestMember,
        recipient:
          recipient === null
            ? sampleValues(organization).recipient
            : { first_name: recipient.recipient_first_name, last_name: recipient.recipient_last_name },
      });
    },
  } satisfies Partial<ConsoleHandlers>;
}
