import type { Mutant } from './mutant.ts'

/** What is asked of many accounts at once. */
export const ACCOUNTS_MUTANTS: readonly Mutant[] = [
  {
    id: 'stop-all-lowers',
    cost: 'stopping purchases everywhere lets an account sell again that a person had stopped',
    file: 'src/account/commands/set-kill-switch.ts',
    text: 'const isKept = isLower && isRaiseOnly === true',
    becomes: 'const isKept = isLower && isRaiseOnly === undefined',
    test: [
      'test/account/commands/kill-switch.test.ts',
      'a raise that is for many accounts lowers none of them, and says how it stands',
    ],
  },
  {
    id: 'kill-switch-lowered-unseen',
    cost: 'who means to stop purchases sets all other orders free, which a trigger had stopped a moment before',
    file: 'src/account/commands/set-kill-switch.ts',
    text: 'if (from === undefined || from === before) return',
    becomes: 'if (from === undefined || from !== before) return',
    test: [
      'test/account/commands/lower-kill-switch.test.ts',
      'F691 a level that the caller has not seen is not lowered',
    ],
  },
  {
    id: 'stop-all-of-others',
    cost: 'a token of one account stops all of them',
    file: 'http/features/stop-all.ts',
    text: '.filter(({ accountId }) => caller?.accounts?.has(accountId) ?? true)',
    becomes: '.filter(({ accountId }) => caller?.accounts?.has(accountId) !== undefined || true)',
    test: [
      'test/http/features/stop-all.test.ts',
      'a token stops the accounts that it is for, and needs the right of the switch',
    ],
  },
  {
    id: 'registered-anew-by-default',
    cost: 'a paper account that is registered again trades real money',
    file: 'src/service/accounts/accounts.ts',
    text: 'const account = accounts[index]\n',
    becomes: 'const account = accounts[index + accounts.length]\n',
    test: [
      'test/service/registrations.test.ts',
      'F405 an account of the configuration that was let go comes back as it is configured',
    ],
  },
  {
    id: 'rows-name-another-stock',
    cost: 'what is bought from the row of a convertible bond of Shanghai is another bond of Shenzhen',
    file: 'src/domain/instrument.ts',
    text: 'exchangeByDigits(code) === exchangeOf(code) ? bareCode(code) : code',
    becomes: 'bareCode(code)',
    test: [
      'test/account/answers/shown-codes.test.ts',
      'F506 what a row calls a stock means that stock when it is sent back',
    ],
  },
]
