import type { Mutant } from './mutant.ts'

const FILE = 'test/account/together.test.ts'

/** What the broker says in one breath. */
export const NEWS_MUTANTS: readonly Mutant[] = [
  {
    id: 'news-in-reverse',
    cost: 'of two lists that come together the older one counts last, and what was sold in between is there again',
    file: 'src/runtime/mailbox.ts',
    text: '      others.push(before)\n',
    becomes: '      others.unshift(before)\n',
    test: [
      'test/runtime/mailbox.test.ts',
      'what belongs to a message is received with it: of its lane, in order, so many',
    ],
  },
  {
    id: 'guards-see-the-end-alone',
    cost: 'refusals in a row are forgotten when the next order was taken in the same breath, and a broken strategy goes on',
    file: 'src/account/step.ts',
    text: '    watchTriggers(turn)\n',
    becomes: '    if (input === inputs.at(-1)) watchTriggers(turn)\n',
    test: [FILE, 'what guards the account follows each of them'],
  },
  {
    id: 'push-is-of-the-list',
    cost: 'what is pushed behind a list counts as older than what was sent since, and its shares are sold again',
    file: 'src/account/client/on-driver.ts',
    text: '  turn.asked = undefined\n',
    becomes: '',
    test: [FILE, 'what is pushed behind a list is no part of it'],
  },
]
