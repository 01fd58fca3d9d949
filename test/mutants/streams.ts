import type { Mutant } from './mutant.ts'

const FEED_TESTS = 'test/http/gateway/account-feed.test.ts'

/** What a client of an event stream takes for all that has happened to its orders. */
export const STREAMS_MUTANTS: readonly Mutant[] = [
  {
    id: 'stream-goes-on-in-other-books',
    cost: 'after a backup was put back a client believes in fills that are gone, and never hears of others',
    file: 'http/gateway/journal-tail.ts',
    text: ' || !entry.previous.startsWith(before.mark)',
    becomes: '',
    test: [FEED_TESTS, 'F194 other books in the place of those that were followed are noticed'],
  },
  {
    id: 'stream-believes-any-place',
    cost: 'a client that comes back is never told that it has missed fills',
    file: 'http/gateway/journal-tail.ts',
    text: 'return known !== undefined && isSame(known, place)',
    becomes: 'return known !== undefined',
    test: [FEED_TESTS, 'F194 who has missed what nobody can tell is told to read anew'],
  },
  {
    id: 'stream-forgets-who-is-behind',
    cost: 'a client that was slow for a moment takes part of its fills for all of them',
    file: 'http/gateway/account-feed.ts',
    text: 'missed?.isLost ?? known === undefined',
    becomes: 'missed?.isLost ?? false',
    test: [FEED_TESTS, 'a client that does not read for a while gets all of it, or is told'],
  },
]
