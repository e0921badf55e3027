/** The sidebar, in its order. A folder shows the pages in `first`, then its others in alphabetical order, then `files`. */
export interface Section {
  readonly label: string;
  /** Files in the repository. */
  readonly files?: readonly string[];
  readonly folder?: string;
  /** Names without `.md`. */
  readonly first?: readonly string[];
  /** Pages that other pages link to, and that are not in the sidebar: few installations need them. */
  readonly unlisted?: readonly string[];
  /** A page of the service that is not built here. */
  readonly link?: string;
}

export const SECTIONS: readonly Section[] = [
  { label: 'Quickstart', files: ['docs/guides/quickstart.md'] },
  {
    label: 'Concepts',
    folder: 'docs/concepts',
    first: ['screens', 'organizations', 'touchpoints', 'lanes', 'states', 'idempotency', 'delivery', 'deadlines'],
  },
  {
    label: 'Guides',
    folder: 'docs/guides',
    first: [
      'touchpoint-events',
      'members',
      'consent',
      'waiting-for-results',
      'webhooks',
      'sending-the-link-yourself',
      'delivery',
      'languages',
      'errors-and-retries',
      'rate-limits',
      'pagination-and-filters',
      'security',
      'erasing-a-recipient',
      'testing',
      'tools',
    ],
  },
  { label: 'SDK', files: ['packages/sdk/README.md'] },
  {
    label: 'CRM recipes',
    folder: 'docs/recipes',
    first: ['overview', 'acculynx', 'jobnimbus', 'servicetitan', 'follow-up-boss', 'hubspot', 'salesforce', 'n8n'],
  },
  {
    label: 'Self-hosting',
    folder: 'docs/self-hosting',
    first: [
      'install',
      'configuration',
      'production',
      'nodes',
      'database',
      'backups',
      'videos',
      'monitoring',
      'commands',
      'console',
      'email',
      'link-domains',
      'kubernetes',
      'server-key',
      'registration',
      'carrier-codes',
      'export-and-import',
      'retention',
      'erasing',
      'troubleshooting',
      'reference',
    ],
    unlisted: ['docs/self-hosting/cluster.md', 'docs/self-hosting/cells.md'],
    files: ['docs/performance.md', 'SECURITY.md'],
  },
  { label: 'Upgrading', files: ['docs/upgrading.md'] },
  { label: 'Troubleshooting', files: ['errors'] },
  { label: 'Changelog', files: ['CHANGELOG.md'] },
  { label: 'API reference', link: '/reference' },
];
