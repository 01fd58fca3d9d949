import type { Mutant } from './mutant.ts'

const FILE = 'test/runtime/heartbeat.test.ts'

/** Who is alive, and who is given up. */
export const RUNTIME_MUTANTS: readonly Mutant[] = [
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
]
