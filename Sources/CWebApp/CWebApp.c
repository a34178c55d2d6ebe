// The web app, as bytes in the binary. C's #embed takes hundredths of a second for what takes Swift minutes as an array
// literal. script/web changes this file's time when it has written another web/app.tar, so that a build compiles it again.

#include "CWebApp.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#if defined(__has_embed)
#if __has_embed("../../web/app.tar")
#define HAS_WEB_APP
#endif
#endif

#ifdef HAS_WEB_APP

static const unsigned char archive[] = {
#embed "../../web/app.tar"
};

const unsigned char *trolley_web_app(void) { return archive; }
size_t trolley_web_app_size(void) { return sizeof archive; }

#else

const unsigned char *trolley_web_app(void) { return NULL; }
size_t trolley_web_app_size(void) { return 0; }

#endif
