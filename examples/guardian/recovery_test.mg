# What is tried after something went wrong, and when a person is called.

# @test name: the likeliest cause is treated first
symptom("t1", /build_error).
# @expect best_hypothesis("t1", /missing_import)
# @exact best_hypothesis/2
# @expect next_recovery("t1", /search_code)
# @exact next_recovery/2
# @forbid needs_person(_)

# @test name: what was tried is not tried again
symptom("t1", /build_error).
attempt("t1", /search_code, 10).
# @expect next_recovery("t1", /edit_file)
# @exact next_recovery/2

# @test name: a refuted cause makes room for the next one
symptom("t1", /build_error).
refuted("t1", /missing_import, "All imports are there.").
# @expect best_hypothesis("t1", /wrong_version)
# @expect next_recovery("t1", /read_file)
# @forbid hypothesis("t1", /missing_import, _)

# @test name: a person is called when no remedy is left
symptom("t1", /build_error).
attempt("t1", /search_code, 10).
attempt("t1", /edit_file, 20).
# @expect needs_person("t1")
# @exact next_recovery/2

# @test name: a person is called after too many attempts
symptom("t1", /test_failure).
attempt("t1", /run_tests, 10).
attempt("t1", /run_command, 20).
attempt("t1", /list_files, 30).
attempt("t1", /search_code, 40).
# @expect is_exhausted("t1")
# @expect needs_person("t1")
# @forbid next_recovery(_, _)

# @test name: the model's own words lead to one step
abductive_hypothesis("There may be an import missing.").
# @expect recovery_action(/search_code)
# @exact recovery_action/1

# @test name: a model that does not know asks
abductive_hypothesis("I do not know").
# @expect recovery_action(/ask_user)
# @exact recovery_action/1
