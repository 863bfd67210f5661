/* The fast path of the program backend: commands whose shape has a plan (plan_cache.py).
 *
 * Everything else, including errors and commands that are not plain ASCII, is left to the Python code, which
 * also works without this module. All calls hold the GIL and never release it while a plan is in use, so no
 * plan is freed under a reader.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <stdint.h>

#define INTERFACE 2 /* what program_backend.py expects; it changes with the signatures below */
#define MOST_WORDS 64 /* MAX_SHAPE of plan_cache.py: longer commands have no plan */
#define MOST_PROBES 128 /* places searched for a word: about 30 with random hashes, more only by an attack */

typedef struct {
    const char *data; /* of `object`; NULL in an empty place */
    Py_ssize_t size;
    PyObject *object;
} Text;

typedef struct {
    Text word;
    Text value;
    uint32_t leaf;
} Word;

typedef struct Plan {
    struct Plan *next; /* in the same bucket */
    uint64_t hash;
    uint32_t words;
    uint32_t pieces;
    uint32_t *leaves;  /* `words` of them, then the numbers of the `pieces` */
    PyObject *constants;
} Plan;

typedef struct {
    PyObject_HEAD
    PyObject *answer_type;
    Py_ssize_t text_at, error_at; /* where its slots are */
    uint64_t seed;                /* of all hashes, secret, so that nobody can choose commands that collide */
    Word *words;
    size_t word_mask;
    Plan **plans;
    size_t plan_mask, plan_count;
} Core;

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
}

static uint64_t hash_bytes(uint64_t seed, const char *data, Py_ssize_t size) {
    uint64_t hash = seed ^ (uint64_t)size;
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t part;
        memcpy(&part, data, 8);
        hash = mix(hash, part);
    }
    uint64_t rest = 0;
    memcpy(&rest, data, (size_t)size);
    return mix(hash, rest);
}

/* The ASCII characters that str.split treats as white space. */
static int is_space(unsigned char c) { return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31); }

/* A borrowed view of a string; 0 if it is not a plain ASCII string. */
static int view(PyObject *object, Text *text) {
    if (!PyUnicode_Check(object) || !PyUnicode_IS_COMPACT_ASCII(object)) return 0;
    text->data = (const char *)PyUnicode_1BYTE_DATA(object);
    text->size = PyUnicode_GET_LENGTH(object);
    text->object = object;
    return 1;
}

static Word *find_word(const Core *core, const char *data, Py_ssize_t size) {
    size_t place = (size_t)hash_bytes(core->seed, data, size) & core->word_mask;
    for (int probes = 0; probes < MOST_PROBES; probes++, place = (place + 1) & core->word_mask) {
        Word *word = &core->words[place];
        if (!word->word.data) return NULL;
        if (word->word.size == size && !memcmp(word->word.data, data, (size_t)size)) return word;
    }
    return NULL;
}

static Plan **find_plan(const Core *core, uint64_t hash, const uint32_t *leaves, uint32_t words) {
    Plan **place = &core->plans[hash & core->plan_mask];
    for (; *place; place = &(*place)->next) {
        Plan *plan = *place;
        if (plan->hash == hash && plan->words == words && !memcmp(plan->leaves, leaves, words * sizeof *leaves))
            break;
    }
    return place;
}

/* The output of a plan as a new string, or NULL with an exception. */
static PyObject *write_out(const Plan *plan, const Text *values) {
    const uint32_t *pieces = plan->leaves + plan->words;
    Text constant;
    Py_ssize_t size = plan->pieces ? (Py_ssize_t)plan->pieces - 1 : 0;
    for (uint32_t i = 0; i < plan->pieces; i++) {
        if (pieces[i] < plan->words) {
            size += values[pieces[i]].size;
        } else {
            size += PyUnicode_GET_LENGTH(PyTuple_GET_ITEM(plan->constants, pieces[i] - plan->words));
        }
    }
    PyObject *output = PyUnicode_New(size, 127);
    if (!output) return NULL;
    char *to = (char *)PyUnicode_1BYTE_DATA(output);
    for (uint32_t i = 0; i < plan->pieces; i++) {
        const Text *piece = &constant;
        if (pieces[i] < plan->words) {
            piece = &values[pieces[i]];
        } else {
            view(PyTuple_GET_ITEM(plan->constants, pieces[i] - plan->words), &constant);
        }
        if (i) *to++ = ' ';
        memcpy(to, piece->data, (size_t)piece->size);
        to += piece->size;
    }
    return output;
}

/* The output for a command; NULL without an exception if Python has to answer. */
static PyObject *output_of(const Core *core, PyObject *object) {
    Text text, values[MOST_WORDS];
    uint32_t leaves[MOST_WORDS], words = 0;
    if (!view(object, &text)) return NULL;
    uint64_t hash = core->seed;
    const char *at = text.data, *end = text.data + text.size;
    for (;;) {
        while (at < end && is_space((unsigned char)*at)) at++;
        if (at == end) break;
        const char *start = at;
        while (at < end && !is_space((unsigned char)*at)) at++;
        const Word *word = words < MOST_WORDS ? find_word(core, start, at - start) : NULL;
        if (!word) return NULL;
        values[words] = word->value;
        leaves[words++] = word->leaf;
        hash = mix(hash, word->leaf);
    }
    const Plan *plan = *find_plan(core, hash, leaves, words);
    return plan ? write_out(plan, values) : NULL;
}

/* An answer that holds `output`, whose reference it takes. */
static PyObject *answer_of(const Core *core, PyObject *output) {
    PyTypeObject *type = (PyTypeObject *)core->answer_type;
    PyObject *answer = type->tp_alloc(type, 0);
    if (!answer) {
        Py_DECREF(output);
        return NULL;
    }
    *(PyObject **)((char *)answer + core->text_at) = output;
    *(PyObject **)((char *)answer + core->error_at) = Py_NewRef(Py_None);
    return answer;
}

/* A core that was never initialised has no tables. */
static int is_made(const Core *core) {
    if (core->words && core->plans) return 1;
    PyErr_SetString(PyExc_TypeError, "the core was not initialised");
    return 0;
}

static PyObject *core_translate(Core *core, PyObject *const *args, Py_ssize_t arguments) {
    if (!is_made(core)) return NULL;
    if (arguments != 2) {
        PyErr_SetString(PyExc_TypeError, "translate takes a sequence of commands and a budget");
        return NULL;
    }
    Py_ssize_t budget = PyLong_AsSsize_t(args[1]), spent = 0;
    if (budget == -1 && PyErr_Occurred()) return NULL;
    PyObject *given = PySequence_Fast(args[0], "commands come in a sequence");
    if (!given) return NULL;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(given), i = 0;
    PyObject *answers = PyList_New(count), *missed = PyList_New(0);
    if (!answers || !missed) goto failed;
    for (; i < count && spent <= budget; i++) {
        /* The allocation of an answer may run a finaliser, which might change the list. */
        if (i >= PySequence_Fast_GET_SIZE(given)) {
            PyErr_SetString(PyExc_RuntimeError, "the commands changed while they were translated");
            goto failed;
        }
        PyObject *output = output_of(core, PySequence_Fast_GET_ITEM(given, i));
        if (output) spent += PyUnicode_GET_LENGTH(output);
        PyObject *answer = output ? answer_of(core, output) : NULL;
        if (!answer) {
            if (PyErr_Occurred()) goto failed;
            PyObject *place = PyLong_FromSsize_t(i);
            if (!place || PyList_Append(missed, place) < 0) {
                Py_XDECREF(place);
                goto failed;
            }
            Py_DECREF(place);
            answer = Py_NewRef(Py_None);
        }
        PyList_SET_ITEM(answers, i, answer);
    }
    if (i < count) {
        PyObject *first = PyList_GetSlice(answers, 0, i);
        if (!first) goto failed;
        Py_SETREF(answers, first);
    }
    Py_DECREF(given);
    return Py_BuildValue("(NN)", answers, missed);
failed:
    Py_DECREF(given);
    Py_XDECREF(answers);
    Py_XDECREF(missed);
    return NULL;
}

static void free_plan(Plan *plan) {
    Py_DECREF(plan->constants);
    PyMem_Free(plan->leaves);
    PyMem_Free(plan);
}

static void free_plans(Core *core) {
    for (size_t i = 0; core->plans && i <= core->plan_mask; i++) {
        for (Plan *plan = core->plans[i], *next; plan; plan = next) {
            next = plan->next;
            free_plan(plan);
        }
        core->plans[i] = NULL;
    }
    core->plan_count = 0;
}

static PyObject *core_clear(Core *core, PyObject *unused) {
    (void)unused;
    free_plans(core);
    Py_RETURN_NONE;
}

static int grow(Core *core) {
    size_t mask = core->plan_mask * 2 + 1;
    Plan **plans = PyMem_Calloc(mask + 1, sizeof *plans);
    if (!plans) return 0;
    for (size_t i = 0; i <= core->plan_mask; i++) {
        for (Plan *plan = core->plans[i], *next; plan; plan = next) {
            next = plan->next;
            plan->next = plans[plan->hash & mask];
            plans[plan->hash & mask] = plan;
        }
    }
    PyMem_Free(core->plans);
    core->plans = plans;
    core->plan_mask = mask;
    return 1;
}

/* Numbers from a tuple, each below `bound`; 0 with an exception if one is not. */
static int numbers(PyObject *tuple, uint32_t *to, unsigned long bound) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        unsigned long number = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(tuple, i));
        if (PyErr_Occurred()) return 0;
        if (number >= bound) {
            PyErr_SetString(PyExc_ValueError, "a number of the plan is out of bounds");
            return 0;
        }
        to[i] = (uint32_t)number;
    }
    return 1;
}

/* Keep a plan, if its constants are plain; a shape that has one already keeps it. */
static PyObject *core_add(Core *core, PyObject *args) {
    PyObject *shape, *indices, *constants;
    if (!is_made(core)) return NULL;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyTuple_Type, &shape, &PyTuple_Type, &indices, &PyTuple_Type, &constants))
        return NULL;
    Py_ssize_t words = PyTuple_GET_SIZE(shape), pieces = PyTuple_GET_SIZE(indices);
    Text text;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); i++) {
        if (!view(PyTuple_GET_ITEM(constants, i), &text)) Py_RETURN_FALSE;
    }
    if (words > MOST_WORDS || pieces > INT32_MAX) Py_RETURN_FALSE;
    if (core->plan_count > core->plan_mask && !grow(core)) return PyErr_NoMemory();
    Plan *plan = PyMem_Calloc(1, sizeof *plan);
    if (!plan) return PyErr_NoMemory();
    plan->words = (uint32_t)words;
    plan->pieces = (uint32_t)pieces;
    plan->constants = Py_NewRef(constants);
    plan->leaves = PyMem_Calloc((size_t)(words + pieces) + 1, sizeof *plan->leaves);
    unsigned long values = (unsigned long)(words + PyTuple_GET_SIZE(constants));
    if (!plan->leaves || !numbers(shape, plan->leaves, UINT32_MAX) ||
        !numbers(indices, plan->leaves + words, values)) {
        free_plan(plan);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    plan->hash = core->seed;
    for (Py_ssize_t i = 0; i < words; i++) plan->hash = mix(plan->hash, plan->leaves[i]);
    Plan **place = find_plan(core, plan->hash, plan->leaves, plan->words);
    if (*place) {
        free_plan(plan);
    } else {
        *place = plan;
        core->plan_count++;
    }
    Py_RETURN_TRUE;
}

/* Where a slot of a type is; 0 with an exception unless it is one, its own, and writable as an object. */
static int slot_at(PyObject *type, const char *name, Py_ssize_t *at) {
    PyObject *slot = PyObject_GetAttrString(type, name);
    if (!slot) return 0;
    const PyTypeObject *answers = (PyTypeObject *)type;
    int found = 0;
    if (Py_IS_TYPE(slot, &PyMemberDescr_Type) && PyDescr_TYPE(slot) == answers && !answers->tp_itemsize) {
        const PyMemberDef *member = ((PyMemberDescrObject *)slot)->d_member;
        *at = member->offset;
        found = member->type == T_OBJECT_EX && *at >= (Py_ssize_t)sizeof(PyObject) &&
                *at <= answers->tp_basicsize - (Py_ssize_t)sizeof(PyObject *);
    }
    if (!found) PyErr_Format(PyExc_TypeError, "%s is not a slot of the answers", name);
    Py_DECREF(slot);
    return found;
}

/* Python's own secret, which PYTHONHASHSEED decides. */
static int seed_of(uint64_t *seed) {
    PyObject *text = PyUnicode_FromString("lane");
    Py_hash_t hash = text ? PyObject_Hash(text) : -1;
    Py_XDECREF(text);
    *seed = (uint64_t)hash;
    return hash != -1;
}

static int core_init(Core *core, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"words", "answer_type", NULL};
    PyObject *words, *type, *word, *entry;
    if (core->plans) {
        PyErr_SetString(PyExc_TypeError, "a core is made once");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!", names, &PyDict_Type, &words, &PyType_Type, &type)) return -1;
    if (!slot_at(type, "text", &core->text_at) || !slot_at(type, "error", &core->error_at)) return -1;
    if (!seed_of(&core->seed)) return -1;
    size_t places = 8;
    while (places < 2 * (size_t)PyDict_Size(words)) places *= 2;
    core->word_mask = places - 1;
    core->plan_mask = 255;
    core->words = PyMem_Calloc(places, sizeof *core->words);
    core->plans = PyMem_Calloc(core->plan_mask + 1, sizeof *core->plans);
    if (!core->words || !core->plans) {
        PyErr_NoMemory();
        return -1;
    }
    core->answer_type = Py_NewRef(type);
    for (Py_ssize_t at = 0; PyDict_Next(words, &at, &word, &entry);) {
        unsigned long leaf;
        PyObject *value;
        Word new;
        if (!PyTuple_Check(entry)) {
            PyErr_SetString(PyExc_TypeError, "a word comes with a tuple of its leaf and its value");
            return -1;
        }
        if (!PyArg_ParseTuple(entry, "kU", &leaf, &value)) return -1;
        /* A word or value that is not plain is left to Python. */
        if (!view(word, &new.word) || !view(value, &new.value) || leaf >= UINT32_MAX) continue;
        new.leaf = (uint32_t)leaf;
        size_t place = (size_t)hash_bytes(core->seed, new.word.data, new.word.size) & core->word_mask;
        int probes = 0;
        for (; core->words[place].word.data && probes < MOST_PROBES; probes++) place = (place + 1) & core->word_mask;
        if (probes == MOST_PROBES) continue; /* left to Python too */
        core->words[place] = new;
        Py_INCREF(word);
        Py_INCREF(value);
    }
    return 0;
}

static void core_dealloc(Core *core) {
    PyTypeObject *type = Py_TYPE(core);
    for (size_t i = 0; core->words && i <= core->word_mask; i++) {
        Py_XDECREF(core->words[i].word.object);
        Py_XDECREF(core->words[i].value.object);
    }
    free_plans(core);
    PyMem_Free(core->words);
    PyMem_Free(core->plans);
    Py_XDECREF(core->answer_type);
    type->tp_free(core);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"translate", (PyCFunction)(void (*)(void))core_translate, METH_FASTCALL,
     "Answers of the first commands, until they have more characters than the budget: None where there is no plan; "
     "and the places of these."},
    {"add", (PyCFunction)core_add, METH_VARARGS, "Keep a plan: shape, indices, constants."},
    {"clear", (PyCFunction)core_clear, METH_NOARGS, "Forget all plans."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Words and plans."}, {Py_tp_init, core_init},      {Py_tp_dealloc, core_dealloc},
    {Py_tp_methods, methods},        {Py_tp_new, PyType_GenericNew}, {0, NULL},
};

static PyType_Spec spec = {"lane.runtime._core.Core", sizeof(Core), 0, Py_TPFLAGS_DEFAULT, slots};

static int exec_module(PyObject *module) {
    PyObject *type = PyType_FromSpec(&spec);
    if (!type) return -1;
    int status = PyModule_AddObjectRef(module, "Core", type);
    Py_DECREF(type);
    return status < 0 ? status : PyModule_AddIntConstant(module, "INTERFACE", INTERFACE);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, exec_module}, {0, NULL}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_core", "The fast path of the program backend.", 0, NULL, module_slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
