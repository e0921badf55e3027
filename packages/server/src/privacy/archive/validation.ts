import { BrandDraft, NewMember, TouchpointContent } from '@foreword/contract';
import { type TObject, Type } from 'typebox';
import { ApiError, invalid } from '../../platform/errors.ts';
import { explainUrl } from '../../platform/outbound/addresses.ts';
import { compileCheck } from '../../platform/validate.ts';
import { requireValidContent } from '../../touchpoints/index.ts';
import { type Row, TransferError } from './format.ts';

/** Checks the columns of a row that are fields of a form, with the schema of that form. Null means that a field is not set. */
function checkFields(schema: TObject): (row: Row) => Row {
  const names = Object.keys(schema.properties);
  const check = compileCheck(Type.Partial(schema), 'row');
  return (row) => {
    const given = Object.entries(row).filter(([name, value]) => names.includes(name) && value !== null);
    return check(Object.fromEntries(given));
  };
}

const checkOrganization = checkFields(BrandDraft);
const checkMember = checkFields(NewMember);
const checkContent = checkFields(TouchpointContent);

const CHECKS: Readonly<Record<string, (row: Row, allowPrivate: boolean) => void>> = {
  organizations: checkOrganization,
  members: checkMember,
  touchpoints(row) {
    const given = checkContent(row);
    // The lanes of the organization may have changed since, which is allowed.
    const content = { script: null, script_es: null, page_title_es: null, text_message: null, ...given } as unknown;
    requireValidContent(
      content as TouchpointContent,
      Object.keys(given).filter((name) => name !== 'lane') as never,
      [],
    );
  },
  webhook_endpoints({ url }, allowPrivate) {
    const problem = explainUrl(String(url), { allowPrivate });
    if (problem !== null) throw invalid('url', problem);
  },
};

/** Someone may have edited the archive, so what people and other systems see of it must be valid like a request. */
export function requireValidRow(path: string, table: string, row: Row, allowPrivate: boolean): void {
  try {
    CHECKS[table]?.(row, allowPrivate);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new TransferError(`${path} has an invalid row: ${error.message.replace(/\.$/, '')}`);
  }
}
