/** Every driver there is, a line each, under the name that configurations know. */
export { bigqmt } from './bigqmt/registration.ts'
export { gateway } from './gateway/registration.ts'
export { paper } from './paper/registration.ts'
export { xt } from './xt/registration.ts'
