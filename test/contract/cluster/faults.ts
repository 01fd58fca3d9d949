import { CODES, EngineError } from '../../../src/cluster/nats/engine-error.ts'
import type { JournalClient } from './rig.ts'

/**
 * What happens to the next append that begins.
 *
 * `lost_answer`     it is written, and nobody is told
 * `write_under_way` it is not written: the servers say that another write is under way, which is no proof
 * `unsent`          nothing is sent
 */
export type Fault = 'lost_answer' | 'write_under_way' | 'unsent'

/** A client whose appends meet these faults, one after the other. */
export function withFaults(client: JournalClient, faults: Fault[]): JournalClient {
  const { journals } = client
  return {
    ...client,
    journals: {
      tail: (acct, timeoutMs) => journals.tail(acct, timeoutMs),
      readFrom: (acct, seq) => journals.readFrom(acct, seq),
      async append(acct, bytes, to) {
        const fault = faults.shift()
        if (fault === 'unsent') throw new EngineError('unavailable', 'no connection')
        if (fault === 'write_under_way') {
          throw new EngineError('ambiguous', 'wrong last sequence', CODES.writeUnderWay)
        }
        const seq = await journals.append(acct, bytes, to)
        if (fault === 'lost_answer') throw new EngineError('ambiguous', 'no answer')
        return seq
      },
    },
  }
}
