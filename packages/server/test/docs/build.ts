import { buildDocs } from '../../../../docs/site/build.ts';

/** Builds the site once for all files. A link that leads nowhere stops it here. */
export default (): void => {
  buildDocs();
};
