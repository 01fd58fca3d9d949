import { createPinia } from 'pinia'
import { createApp } from 'vue'
import { installElements } from '../shared/elements.ts'
import { applyPrefs } from '../shared/prefs.ts'
import { i18n } from '../shared/texts/index.ts'
import ConsoleApp from './console-app.vue'
import { router } from './router.ts'
import '../shared/style.css'
import './console.css'

applyPrefs()
const app = createApp(ConsoleApp)
app.use(createPinia()).use(i18n).use(router)
installElements(app)
app.mount('#app')
