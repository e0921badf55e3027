/** The columns of every row that belongs to an organization. */
export interface Owned {
  organization_id: string;
  environment: 'test';
  id: string;
}
