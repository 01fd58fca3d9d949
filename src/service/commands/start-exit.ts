import { ListenError } from '../../../http/sockets/server.ts'
import { SocketFolderError } from '../../cluster/socket-path.ts'
import { LIFE_EXIT } from '../../cluster/watch-over.ts'
import { POLICY, ServiceError } from '../../domain/errors.ts'
import { NativeModuleError } from '../../runtime/native-module.ts'
import { DamageError } from '../data/soundness.ts'
import { StartError } from '../process/start-error.ts'

const FAILED = 1

/**
 * The exit code of a start that failed, which is then told in one line; undefined: a bug, which needs a stack. Only
 * what a person has to put right counts as wrong: nobody starts the process anew after that.
 */
export function startExit(error: unknown): number | undefined {
  if (error instanceof DamageError) return FAILED
  if (error instanceof ServiceError) {
    return POLICY[error.code].retry === 'never' ? LIFE_EXIT.wrong : FAILED
  }
  return isOperators(error) ? LIFE_EXIT.wrong : undefined
}

const isOperators = (error: unknown): boolean =>
  error instanceof StartError ||
  error instanceof ListenError ||
  error instanceof NativeModuleError ||
  error instanceof SocketFolderError
