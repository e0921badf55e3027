import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** Runs one operation for one item and returns the objects that the item becomes. */
export type Operation = (context: IExecuteFunctions, itemIndex: number) => Promise<IDataObject[]>;
