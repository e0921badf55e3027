import type { RecorderState } from '../state.ts';

export function Brand({ organization: { name, logo_url } }: { organization: RecorderState['organization'] }) {
  return <header class="brand">{logo_url === null ? name : <img src={logo_url} alt={name} height={28} />}</header>;
}
