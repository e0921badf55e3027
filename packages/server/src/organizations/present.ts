import { ORGANIZATION_BRAND_FIELDS, type OrganizationBrand } from '@foreword/contract';

/** Returns exactly the brand fields of a row or a draft; a field that the draft omits is null. */
export const pickBrand = (from: Partial<OrganizationBrand>): OrganizationBrand =>
  Object.fromEntries(
    ORGANIZATION_BRAND_FIELDS.map((field) => [field, from[field] ?? null]),
  ) as unknown as OrganizationBrand;
