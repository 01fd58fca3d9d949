/** Something that the operator has to put right before the service can start: one line, exit code 2. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
