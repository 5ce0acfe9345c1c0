/* The first process of every pod: holds the pod's namespaces open, reaps
 * orphans, and ends on request. It does nothing else. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void quit(int signal_number)
{
    (void)signal_number;
    _exit(0);
}

static void reap(int signal_number)
{
    (void)signal_number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

int main(void)
{
    struct sigaction on_quit = {.sa_handler = quit};
    struct sigaction on_child = {.sa_handler = reap, .sa_flags = SA_NOCLDSTOP};

    if (sigaction(SIGINT, &on_quit, NULL) || sigaction(SIGTERM, &on_quit, NULL) ||
        sigaction(SIGCHLD, &on_child, NULL))
        return 1;
    for (;;)
        pause();
}
