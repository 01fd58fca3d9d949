/** Kinds of account with the number that the broker shows for each (docs/domain.md 8.5). */
export const ACCOUNT_TYPE = { STOCK: 2, FUTURE: 1, CREDIT: 3 } as const
export type AccountType = keyof typeof ACCOUNT_TYPE
export const ACCOUNT_TYPES = Object.keys(ACCOUNT_TYPE) as readonly AccountType[]
