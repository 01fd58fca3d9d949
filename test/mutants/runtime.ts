import type { Mutant } from './mutant.ts'

const FILE = 'test/runtime/heartbeat.test.ts'
const WINDOW = 'test/service/watchdog/window.test.ts'

/** Who is alive, and who is given up. */
export const RUNTIME_MUTANTS: readonly Mutant[] = [
  {
    id: 'nobody-is-lost',
    cost: 'a process that was stopped before its write orders beside the computer that has its account now',
    file: 'src/cluster/watch-over.ts',
    text: 'nowMs - atMs > limits.silenceMs',
    becomes: 'nowMs - atMs > 60_000',
    test: [WINDOW, 'watched, nothing of an owner that was stopped after its check ever arrives'],
  },
  {
    id: 'joined-quotes-are-lost',
    cost: 'a stock that falls while the account waits for its disk is not judged, and its stop comes late',
    file: 'actors/account/items.ts',
    text: '    waiting.push(...crossed.filter((code) => !waiting.includes(code)))\n',
    becomes: '',
    test: [
      'test/actors/waiting-quotes.test.ts',
      'F567 the message that waits looks at every stock that has crossed until it is received',
    ],
  },
  {
    id: 'suspended-is-lost',
    cost: 'whenever the servers of a cluster are away every node kills itself, and its stops are not watched',
    file: 'src/cluster/watch-over.ts',
    text: ' && nowMs - atMs > limits.silenceMs',
    becomes: '',
    test: [
      'test/cluster/watch-over.test.ts',
      'a node is lost when it is silent and its lease is over, never by one of both',
    ],
  },
  {
    id: 'starved-is-hung',
    cost: 'a busy computer ends the process with all its accounts, and no stop is watched',
    file: 'src/runtime/heartbeat.ts',
    text: 'Math.min(wakefulMs * punctuality, idleMs ?? wakefulMs)',
    becomes: 'wakefulMs * punctuality',
    test: [FILE, 'a silent actor: it gets nothing of a busy computer'],
  },
  {
    id: 'own-computing-is-no-chance',
    cost: 'an account that loops beside other programs stays as it is, and no stop is watched',
    file: 'src/runtime/heartbeat.ts',
    text: 'Math.max(next.freeMs, next.ranMs) >= limitMs',
    becomes: 'next.freeMs >= limitMs',
    test: [FILE, 'a silent actor: it loops, and shares its processor with three others'],
  },
  {
    id: 'patience-without-end',
    cost: 'a thread that is blocked on a busy computer is waited for for ever',
    file: 'src/runtime/heartbeat.ts',
    text: "  if (next.silentMs >= Math.max(patienceMs, limitMs)) return { watch: next, verdict: 'starved' }\n",
    becomes: '',
    test: [FILE, 'a silent actor: it gets nothing of a busy computer'],
  },
  {
    id: 'who-rehearses-may-hang',
    cost: 'an account that answers and hangs before its start is over is away for ten seconds instead of two, and no stop is watched',
    file: 'actors/supervisor/child.ts',
    text: 'void thread.serving.then(() => life.watch.ready())',
    becomes: 'void thread.ready.then(() => life.watch.ready(), () => undefined)',
    test: [
      'test/actors/supervisor.test.ts',
      'F123 a child that serves and hangs before it is ready is found by its heart',
    ],
  },
  {
    id: 'who-waits-for-the-disk-hangs',
    cost: 'accounts that start while the disk stands still are suspended for good, and no stop is watched when it is back',
    file: 'actors/supervisor/child.ts',
    text: 'life.watch.check(isWaiting ? NO_CHANCE : machine)',
    becomes: 'life.watch.check(isWaiting ? machine : machine)',
    test: [
      'test/actors/supervisor-busy.test.ts',
      'F464 a start that waits for a store whose disk stands still is no hang, and one later is',
    ],
  },
  {
    id: 'who-stands-at-the-disk-hangs',
    cost: 'a disk that takes three seconds for a flush ends the process, and all accounts begin anew',
    file: 'actors/supervisor/supervisor.actor.ts',
    text: '    if (this.#isAtDisk) return\n',
    becomes: '    if (this.#isAtDisk && machine.punctuality < 0) return\n',
    test: [
      'test/actors/supervisor-vital.test.ts',
      'F465 a vital actor that stands in a write of the disk does not hang, and later it does',
    ],
  },
]
