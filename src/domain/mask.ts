const TAIL = 4

/** All but the last four characters of an account id become `*`; ids of up to four are shown. */
export const maskAccount = (accountId: string): string =>
  accountId.length <= TAIL
    ? accountId
    : '*'.repeat(accountId.length - TAIL) + accountId.slice(-TAIL)

/** Account ids stand behind these words in addresses of actors and in paths. */
const ADDRESSED = /\b(accounts?|metrics|health)\/([^/\s"?]+)/gi

/** A text with the account ids in its addresses masked: `account/10000001`, `/api/v1/accounts/10000001/orders`. */
export const maskAddresses = (text: string): string =>
  text.replace(ADDRESSED, (_all, word: string, id: string) => `${word}/${maskAccount(id)}`)
