import { escapeHtml } from './errors.ts';
import { BASE } from './links.ts';
import { listPages, type SectionOfPages } from './pages.ts';

interface Link {
  readonly label: string;
  /** Below `/docs`. */
  readonly path: string;
  readonly isPage: boolean;
}

export interface Landing {
  readonly title: string;
  readonly sentence: string;
  readonly ways: readonly { readonly title: string; readonly text: string; readonly links: readonly Link[] }[];
}

/** Pages by their path, or whole sections by their label. A page that does not exist is left out. */
const WAYS: readonly { title: string; text: string; pages?: readonly string[]; section?: string; reference?: true }[] =
  [
    {
      title: 'Integrate your application',
      text: 'Report business moments from your own code, or create intros directly, and follow them to the page that the recipient opens.',
      pages: ['guides/quickstart', 'sdk', 'guides/touchpoint-events', 'guides/webhooks', 'guides/testing', 'errors'],
      reference: true,
    },
    {
      title: 'Connect a CRM',
      text: 'Each recipe is a small service that receives the webhooks of one CRM, reports the matching touchpoint, and writes the link back to the record.',
      section: 'CRM recipes',
    },
    {
      title: 'Run Foreword',
      text: 'One Node process with its own PostgreSQL, or several nodes on a database of yours, behind a proxy, in containers, or on Kubernetes.',
      section: 'Self-hosting',
      pages: ['upgrading', 'changelog'],
    },
  ];

/** Says what Foreword is, and where its three kinds of readers start. */
export function describeLanding(sections: readonly SectionOfPages[]): Landing {
  const byId = new Map(listPages(sections).map((page) => [page.id, page]));
  // As in the sidebar, where a section of one page has the name of the section.
  const labels = new Map(
    sections.flatMap(({ label, pages: [only, next] }) => (only && !next ? [[only.id, label]] : [])),
  );
  return {
    title: 'Foreword documentation',
    sentence:
      'Foreword asks a team member to record one short personal video for a customer, and delivers it on a page in the brand of their organization.',
    ways: WAYS.map(({ title, text, section, pages = [], reference = false }) => {
      const own = sections.find(({ label }) => label === section)?.pages ?? [];
      const chosen = [...own, ...pages.flatMap((id) => byId.get(id) ?? [])];
      const links = chosen.map(({ title: name, id }) => ({
        label: labels.get(id) ?? name,
        path: `/${id}`,
        isPage: true,
      }));
      return {
        title,
        text,
        links: [...links, ...(reference ? [{ label: 'API reference', path: '/reference', isPage: false }] : [])],
      };
    }).filter(({ links }) => links.length > 0),
  };
}

export const renderLanding = ({ sentence, ways }: Landing): string =>
  `<p class="lead">${escapeHtml(sentence)}</p>${ways
    .map(({ title, text, links }) => {
      const list = links
        .map(({ label, path }) => `<li><a href="${BASE}${path}">${escapeHtml(label)}</a></li>`)
        .join('');
      return `<section class="way"><h2>${escapeHtml(title)}</h2><p>${escapeHtml(text)}</p><ul>${list}</ul></section>`;
    })
    .join('')}`;
