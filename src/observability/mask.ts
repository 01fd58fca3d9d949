const TAIL = 4

/** All but the last four characters of an account id become `*`; ids of up to four are shown. */
export const maskAccount = (accountId: string): string =>
  accountId.length <= TAIL
    ? accountId
    : '*'.repeat(accountId.length - TAIL) + accountId.slice(-TAIL)
