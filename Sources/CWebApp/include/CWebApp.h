#ifndef TROLLEY_WEB_APP_H
#define TROLLEY_WEB_APP_H

#include <stddef.h>

// The web app, as script/web packed it into web/app.tar; NULL if there was none when this was compiled.
const unsigned char *trolley_web_app(void);

// How many bytes that are; 0 without a web app.
size_t trolley_web_app_size(void);

#endif
