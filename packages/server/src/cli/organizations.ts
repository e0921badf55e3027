import { DEFAULT_LANGUAGE, INDUSTRIES, LANGUAGES, Lane, Name } from '@foreword/contract';
import { Type } from 'typebox';
import { readConfig } from '../config.ts';
import type { Row, Tables } from '../db/tenancy.ts';
import { changeBrand, createOrganization, findOrganization, listOrganizations } from '../organizations/index.ts';
import type { Queryable } from '../platform/db.ts';
import { choice, databaseCommand } from './command.ts';
import { commandClock } from './connection.ts';
import { Failure, UsageError } from './failure.ts';
import { Accent, emptyAsNull, OfficePhone, Text } from './fields.ts';
import { showList, showObject } from './print.ts';

/** Where most organizations work. The server's own time zone is usually UTC, which is never right. */
const DEFAULT_TIMEZONE = 'America/New_York';

const present = (row: Row<'organizations'>) => ({
  id: row.id,
  object: 'organization',
  name: row.name,
  industry: row.industry,
  lanes: row.lanes,
  timezone: row.timezone,
  language: row.language,
  accent: row.accent,
  office_phone: row.office_phone,
  license: row.license,
  logo: row.logo,
  created_at: row.created_at.toISOString(),
});

export function refuseLanes(industry: Row<'organizations'>['industry'], lanes: readonly string[]): void {
  if (industry === 'real_estate' && lanes.length > 0) {
    throw new UsageError('--lane is only for the industry exterior_remodeling: real_estate has no lanes.');
  }
}

const noOrganization = (id: string): Failure =>
  new Failure(`There is no organization with the id "${id}". See foreword org list.`);

/** More organizations than this are not listed in an error. */
const MAX_LISTED = 20;

/** A list for one line, such as "org_1 (Acme), org_2 (Homes)". */
export function enumerate(items: readonly string[]): string {
  const more = items.length - MAX_LISTED;
  return items.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The organization with this id, or the only one. */
export async function requireOrganization(
  db: Queryable<Tables>,
  id: string | undefined,
): Promise<Row<'organizations'>> {
  if (id === undefined) return requireOnlyOrganization(await listOrganizations(db));
  const row = await findOrganization(db, id);
  if (row === null) throw noOrganization(id);
  return row;
}

function requireOnlyOrganization(all: readonly Row<'organizations'>[]): Row<'organizations'> {
  const [only, ...others] = all;
  if (only === undefined) throw new Failure('There is no organization yet. Create one with foreword org create.');
  if (others.length === 0) return only;
  const listed = enumerate(all.map(({ id, name }) => `${id} (${name})`));
  throw new UsageError(`There are several organizations. Choose one with --org ID: ${listed}.`);
}

export const organizationCommands = [
  databaseCommand({
    path: ['org', 'create'],
    summary: 'Creates an organization with the starting touchpoints of its industry.',
    input: Type.Object({
      name: Name('Name of the organization.', 'Acme Roofing'),
      industry: choice(INDUSTRIES, 'Determines the starting touchpoints.'),
      lane: Type.Optional(
        Type.Array(Lane, { description: 'A lane that it works in (exterior_remodeling only). Default: both.' }),
      ),
      timezone: Type.Optional(
        Type.String({
          format: 'iana-timezone',
          'x-problem': 'must be an IANA time zone, such as America/Chicago',
          description: `IANA time zone. Default: ${DEFAULT_TIMEZONE}.`,
        }),
      ),
      language: Type.Optional(
        choice(LANGUAGES, 'Language of its emails, and of recipients without their own. Default: en.'),
      ),
    }),
    example: 'foreword org create --name "Acme Roofing" --industry exterior_remodeling --timezone America/Chicago',
    check: ({ industry, lane: lanes = [] }) => refuseLanes(industry, lanes),
    run: (tx, { name, industry, lane: lanes = [], timezone = DEFAULT_TIMEZONE, language = DEFAULT_LANGUAGE }) =>
      createOrganization(tx, commandClock, { name, industry, lanes, timezone, language }),
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['org', 'set'],
    operand: 'ID',
    summary: 'Changes what recipients see of an organization: name, color, logo, page footer and language.',
    input: Type.Object({
      ID: Type.String({ description: 'ID of the organization (see foreword org list).' }),
      name: Type.Optional(Name('Name of the organization.', 'Acme Roofing')),
      accent: Type.Optional(Accent),
      'office-phone': Type.Optional(OfficePhone),
      license: Type.Optional(Text(100, 'License, as legally required on the pages.')),
      language: Type.Optional(choice(LANGUAGES, 'Language of its emails, and of recipients without their own.')),
      logo: Type.Optional(
        Type.String({ description: 'A PNG, JPEG or SVG file, shown at most 40 pixels high. "" removes it.' }),
      ),
    }),
    example:
      'foreword org set org_01kahzv8e1f0rtx5m2q6n9d3bw --accent "#b4451f" --office-phone +13125550100 --logo logo.png',
    check({ name, accent, 'office-phone': officePhone, license, logo, language }) {
      if ([name, accent, officePhone, license, logo, language].every((value) => value === undefined)) {
        throw new UsageError(
          'Nothing to change: give at least one of --name, --accent, --office-phone, --license, --logo, --language.',
        );
      }
    },
    async run(tx, { ID, name, accent, 'office-phone': officePhone, license, logo: file, language }) {
      const { id } = await requireOrganization(tx, ID);
      const keyFor = (hash: string): string => `${id}/logo-${hash}.png`;
      const row = await changeBrand(tx, id, {
        ...(name !== undefined && { name }),
        ...(accent !== undefined && { accent: emptyAsNull(accent.toLowerCase()) }),
        ...(officePhone !== undefined && { office_phone: emptyAsNull(officePhone) }),
        ...(license !== undefined && { license: emptyAsNull(license) }),
        ...(language !== undefined && { language }),
        ...(file !== undefined && {
          logo:
            file === ''
              ? null
              : await (await import('./pictures.ts')).storePicture(readConfig(), { file, shape: 'logo', keyFor }),
        }),
      });
      if (row === null) throw noOrganization(id);
      return row;
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['org', 'list'],
    summary: 'Lists the organizations, newest first.',
    input: Type.Object({}),
    example: 'foreword org list',
    run: listOrganizations,
    show: (rows) =>
      showList(rows.map(present), ({ id, name, industry, timezone }) => ({ id, name, industry, timezone })),
  }),
];
