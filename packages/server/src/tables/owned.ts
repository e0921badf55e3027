/** What each row has that belongs to an organization. */
export interface Owned {
  organization_id: string;
  environment: 'test';
  id: string;
}
