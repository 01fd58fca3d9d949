import t from 'tap'
import { ListenError } from '../../../http/sockets/server.ts'
import { LIFE_EXIT, nextLife } from '../../../src/cluster/watch-over.ts'
import { ServiceError } from '../../../src/domain/errors.ts'
import { startExit } from '../../../src/service/commands/start-exit.ts'
import { DamageError } from '../../../src/service/data/soundness.ts'
import { StartError } from '../../../src/service/process/start-error.ts'

const LIMITS = { restartMs: 100, restartMaxMs: 1_000 }

t.test('F253 only what a person has to put right is the last life of a node', async (t) => {
  const cases: readonly (readonly [Error, code: number | undefined, isLast: boolean])[] = [
    [new StartError('data_dir cannot be written'), LIFE_EXIT.wrong, true],
    [new ListenError('127.0.0.1', 8888, 'EADDRINUSE'), LIFE_EXIT.wrong, true],
    [new ServiceError('VALIDATION', 'no such account'), LIFE_EXIT.wrong, true],
    [new ServiceError('DEADLINE_EXCEEDED', 'the store is busy'), 1, false],
    [new ServiceError('DISK_FULL', 'no space'), 1, false],
    [new DamageError('the database is damaged'), 1, false],
    [new TypeError('a bug'), undefined, false],
  ]
  for (const [error, wanted, isLast] of cases) {
    const code = startExit(error)
    t.equal(code, wanted, error.message)
    const end = { code: code ?? 1, livedMs: 10, failures: 0, isStopping: false, wasReady: true }
    t.equal(nextLife(end, LIMITS).do, isLast ? 'end' : 'start', error.message)
  }
})
