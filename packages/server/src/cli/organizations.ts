import { DEFAULT_LANGUAGE, INDUSTRIES, LANGUAGES, Lane, Name, Type } from '@foreword/contract';
import { readConfig } from '../app/config/index.ts';
import type { Row } from '../db/tenancy.ts';
import { changeBrand, createOrganization, listOrganizations } from '../organizations/index.ts';
import { pick } from '../platform/json.ts';
import { choice, Option, pickGiven, Removable, Text } from './command.ts';
import { commandClock } from './connection.ts';
import { command, organizationCommand } from './database-command.ts';
import { showList } from './print.ts';
import { UsageError } from './terminal.ts';

/** Where most organizations work. The server's own time zone is usually UTC, which is never right. */
const DEFAULT_TIMEZONE = 'America/New_York';

const present = (row: Row<'organizations'>) => ({
  id: row.id,
  object: 'organization',
  ...pick(row, 'name', 'industry', 'lanes', 'timezone', 'language', 'accent', 'office_phone', 'license'),
  ...pick(row, 'logo', 'created_at'),
});

const OrganizationName = Name('Name of the organization.', 'Acme Roofing');

async function storeLogo(id: string, file: string | null): Promise<string | null> {
  if (file === null) return null;
  const { storePicture } = await import('./pictures.ts');
  return storePicture(readConfig(), { file, shape: 'logo', keyFor: (hash) => `${id}/logo-${hash}.png` });
}

export const organizationCommands = [
  command({
    name: 'org create',
    summary: 'Creates an organization with the starting touchpoints of its industry.',
    flags: { lanes: 'lane' },
    input: {
      name: OrganizationName,
      industry: choice(INDUSTRIES, 'Determines the starting touchpoints.'),
      lanes: Type.Optional(
        Type.Array(Lane, { description: 'A lane that it works in (exterior_remodeling only). Default: both.' }),
      ),
      timezone: Option(`IANA time zone. Default: ${DEFAULT_TIMEZONE}.`, {
        format: 'iana-timezone',
        'x-problem': 'must be an IANA time zone, such as America/Chicago',
      }),
      language: Type.Optional(
        choice(LANGUAGES, 'Language of its emails, and of recipients without their own. Default: en.'),
      ),
    },
    example: '--name "Acme Roofing" --industry exterior_remodeling --timezone America/Chicago',
    check({ industry, lanes = [] }) {
      if (industry === 'real_estate' && lanes.length > 0)
        throw new UsageError('--lane is only for the industry exterior_remodeling: real_estate has no lanes.');
    },
    run: async ({ tx }, { lanes = [], timezone = DEFAULT_TIMEZONE, language = DEFAULT_LANGUAGE, ...given }) =>
      present(await createOrganization(tx, commandClock, { ...given, lanes, timezone, language })),
  }),
  organizationCommand({
    name: 'org set',
    of: 'org',
    needsOption: true,
    summary: 'Changes what recipients see of an organization: name, color, logo, page footer and language.',
    input: {
      name: Type.Optional(OrganizationName),
      accent: Removable(
        Type.String({ pattern: '^#[0-9a-fA-F]{6}$', 'x-problem': 'must be a color such as #b4451f' }),
        'Accent color of the pages.',
      ),
      office_phone: Removable(
        Type.String({
          pattern: '^\\+[1-9][0-9]{7,14}$',
          'x-problem': 'must be a number in E.164 form, such as +13125550100',
        }),
        'Number that recipients can call, in E.164 form.',
      ),
      license: Text(100, 'License, as legally required on the pages.'),
      language: Type.Optional(choice(LANGUAGES, 'Language of its emails, and of recipients without their own.')),
      logo: Removable(Type.String(), 'A PNG, JPEG or SVG file, shown at most 40 pixels high.'),
    },
    example: '--accent "#b4451f" --office-phone +13125550100 --logo logo.png',
    async run({ tx, organization }, { name, accent, office_phone, license, language, logo }) {
      const change = {
        ...{ name, office_phone, license, language },
        accent: accent?.toLowerCase() ?? accent,
        logo: logo === undefined ? undefined : await storeLogo(organization.id, logo),
      };
      return present((await changeBrand(tx, organization.id, pickGiven(change))) ?? organization);
    },
  }),
  command({
    name: 'org list',
    summary: 'Lists the organizations, newest first.',
    input: {},
    run: ({ tx }) => listOrganizations(tx),
    show: (rows) => showList({ data: rows.map(present) }, ['id', 'name', 'industry', 'timezone']),
  }),
];
