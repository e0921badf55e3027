import { LinkHost } from '@foreword/contract';
import { Type } from 'typebox';
import type { Row, Tables } from '../db/tenancy.ts';
import {
  addDomain,
  findDomainAcrossTenants,
  listDomains,
  presentDomain,
  removeDomain,
  requestCheck,
} from '../link-domains/index.ts';
import { testTenant } from '../organizations/index.ts';
import type { Queryable } from '../platform/db.ts';
import { readLinkConfig } from './address.ts';
import { databaseCommand, Organization, type Shown } from './command.ts';
import { commandClock } from './connection.ts';
import { Failure, orFailure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { minuteOf, showFields, showList } from './print.ts';

const SAMPLE_ID = 'lkd_01kahzv8e1f0rtx5m2q6n9d3bw';
const DomainId = Type.String({ description: 'ID of the link domain (see foreword link-domain list).' });

async function requireDomain(tx: Queryable<Tables>, id: string): Promise<Row<'link_domains'>> {
  const row = await findDomainAcrossTenants(tx, id);
  if (row === null) throw new Failure(`There is no link domain with the id "${id}". See foreword link-domain list.`);
  return row;
}

const serviceHost = async (): Promise<string> => new URL((await readLinkConfig()).publicUrl).hostname;

/** The object of the API, and as text what to publish. */
function show(domain: ReturnType<typeof presentDomain>) {
  const { id, host, state, points_to, verification, failure } = domain;
  const fields = {
    id,
    host,
    state,
    record: `${verification.dns.name} TXT ${verification.dns.value}`,
    'or file': verification.http.url,
    'points to': points_to,
    failure: failure?.message ?? null,
    'checked at': minuteOf(domain.checked_at),
  };
  return showFields(domain, fields);
}

export const linkDomainCommands = [
  databaseCommand({
    path: ['link-domain', 'add'],
    operand: 'HOST',
    summary: "Adds a host for recipients' links, and shows what to publish. A running service checks it.",
    input: Type.Object({ HOST: LinkHost, org: Organization }),
    example: 'foreword link-domain add go.acme.example',
    async run(tx, { HOST: host, org }) {
      const { id } = await requireOrganization(tx, org);
      const service = await serviceHost();
      const wanted = { host, serviceHost: service, now: commandClock() };
      return presentDomain(await orFailure(addDomain(tx, testTenant(id), wanted)), service);
    },
    show,
  }),
  databaseCommand({
    path: ['link-domain', 'list'],
    summary: 'Lists the link domains of an organization, newest first.',
    input: Type.Object({ org: Organization }),
    example: 'foreword link-domain list',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      const service = await serviceHost();
      return (await listDomains(tx, testTenant(id))).map((row) => presentDomain(row, service));
    },
    show: (domains) =>
      showList(domains, ({ id, host, state, failure, checked_at }) => ({
        id,
        host,
        state,
        failure: failure?.message ?? null,
        checked_at: minuteOf(checked_at),
      })),
  }),
  databaseCommand({
    path: ['link-domain', 'check'],
    operand: 'ID',
    summary: 'Lets a running service check a link domain now. The result appears in the list.',
    input: Type.Object({ ID: DomainId }),
    example: `foreword link-domain check ${SAMPLE_ID}`,
    async run(tx, { ID: id }) {
      const { organization_id } = await requireDomain(tx, id);
      const row = await requestCheck(tx, testTenant(organization_id), id, commandClock());
      if (row === null) throw new Failure('The link domain was removed in the meantime.');
      return presentDomain(row, await serviceHost());
    },
    show,
  }),
  databaseCommand({
    path: ['link-domain', 'remove'],
    operand: 'ID',
    summary: 'Removes a link domain. Links that were sent work while the domain leads here.',
    input: Type.Object({ ID: DomainId }),
    example: `foreword link-domain remove ${SAMPLE_ID}`,
    async run(tx, { ID: id }): Promise<Shown> {
      const row = await requireDomain(tx, id);
      await removeDomain(tx, testTenant(row.organization_id), id);
      return { id, object: 'link_domain', deleted: true };
    },
    show: (deleted) => showFields(deleted, deleted),
  }),
];
